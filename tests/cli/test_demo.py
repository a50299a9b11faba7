import pytest

from corollary.cli import demo, promise


@pytest.fixture(scope="module")
def examples():
    return demo.examples()


def test_the_demo_in_a_terminal(process):
    result = process("demo")
    assert result.returncode == 0
    assert result.stderr == ""
    for name in ("KMeans", "LinearRegression", "SVC"):
        assert f"\n{name}\n" in f"\n{result.stdout}"
    assert result.stdout.count("from optimal") == 3
    assert "the same answer" in result.stdout
    assert "unchanged" in result.stdout


def test_the_promise_is_kept(tmp_path):
    rows = promise.compare(tmp_path)
    assert {(row.model, row.executor) for row in rows} == {
        (model, executor)
        for model in ("KMeans", "PCA")
        for executor in ("serial", "threads")
    }
    assert all((row.difference or 0.0) <= promise.TOLERANCE for row in rows)


def test_a_broken_promise_is_told(corollary, monkeypatch):
    broken = [promise.Comparison("PCA", "array, in chunks", "threads", 1e-3)]
    monkeypatch.setattr(demo, "compare", lambda folder: broken)
    monkeypatch.setattr(demo, "examples", list)
    result = corollary("demo")
    assert result.exit_code == 1
    assert "NOT THE SAME ANSWER" in result.output


def test_a_changed_model_is_noticed(tmp_path, examples, monkeypatch):
    model = examples[0][2]
    assert promise.round_trips(model, tmp_path / "model")
    import corollary

    other = examples[1][2]
    monkeypatch.setattr(corollary, "load", lambda path: other, raising=False)
    with pytest.raises(KeyError):
        promise.round_trips(model, tmp_path / "model")
