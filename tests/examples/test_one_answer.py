import one_answer


def test_every_source_and_executor_gives_one_answer(tmp_path):
    rows = one_answer.compare(tmp_path)
    assert {(row.model, row.executor) for row in rows} == {
        (model, executor)
        for model in ("KMeans", "PCA")
        for executor in ("serial", "threads")
    }
    assert all((row.difference or 0.0) <= one_answer.TOLERANCE for row in rows)
