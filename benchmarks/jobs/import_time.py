"""A fresh Python that imports the library, and one that imports a learner."""

import subprocess
import sys

from harness import Job

COUNT = "import sys; print(len(sys.modules))"


def importing(statement):
    command = [sys.executable, "-c", f"{statement}; {COUNT}"]

    def contestant():
        def run():
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise ImportError(done.stderr.strip().splitlines()[-1])
            return int(done.stdout.split()[-1])

        return run

    return contestant


def job(title, **statements):
    names = {"ours": "corollary", "bare": "bare Python"}
    return Job(
        title=title,
        data=dict,
        contestants={
            names.get(name, name): importing(statement)
            for name, statement in statements.items()
        },
        quality=lambda modules: {"modules": modules},
        reference=("bare Python",),
    )


JOBS = [
    job(
        "Import the library, fresh process",
        ours="import corollary",
        sklearn="import sklearn.base",
        bare="pass",
    ),
    job(
        "Import KMeans, fresh process",
        ours="from corollary import KMeans",
        sklearn="from sklearn.cluster import KMeans",
        sklearnex="from sklearnex.cluster import KMeans",
    ),
]
