import json

import corollary as library


def test_the_demo_in_a_terminal(process, tmp_path):
    out = tmp_path / "demo"
    result = process("demo", "--out", str(out), "--time-budget", "6")
    assert result.returncode == 0, result.stderr
    assert "decided rightly" in result.stdout
    assert "certificate" in result.stdout
    found = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert found["target"] == "diagnosis"
    assert found["champion"]["test_score"] < 0.3  # log loss
    model = library.load(out / "model.corollary")
    assert (model.predict(str(out / "tumours.csv")) == "benign").mean() > 0.5
    assert (out / "report.html").stat().st_size < 3e6
