"""Let ``python -m corollary`` do what the command ``corollary`` does."""

from corollary.cli import main

if __name__ == "__main__":
    main()
