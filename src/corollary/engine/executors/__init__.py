"""Who computes the parts of a source: one thread, several, a cluster."""
