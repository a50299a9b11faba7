"""Where rows come from: arrays, files, iterators, Dask collections."""
