"""The messages are balanced, different from each other, and have two labels each."""

import numpy as np

from corollary.datasets import messages


def test_messages_are_balanced_and_distinct():
    mail = messages()
    assert len(mail.texts) == len(set(mail.texts)) == 64
    assert mail.spam.shape == mail.topic.shape == (64,)
    assert (mail.spam == "spam").sum() == 32
    assert np.unique(mail.topic).tolist() == ["health", "money", "travel", "work"]
    for topic in np.unique(mail.topic):  # every topic has wanted and unwanted texts
        assert set(mail.spam[mail.topic == topic]) == {"spam", "mail"}
    assert all(text[0].isupper() and text[-1] in ".!?" for text in mail.texts)
