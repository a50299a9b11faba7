"""Support vector machines and their relatives."""
