"""Many classes from machines that tell two apart."""
