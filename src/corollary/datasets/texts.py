"""Short messages to sort: wanted or not, and by topic."""

from __future__ import annotations

import numpy as np

from corollary.datasets.records import Texts

__all__ = ["messages"]

MESSAGES = """
spam money   You have won a cash prize! Claim your free money now.
spam money   Free loan approved today, no credit check. Apply now!
spam money   Earn cash from home, double your money in one week, free to join.
spam money   Urgent: your bank account is locked, click the link to verify now.
spam money   Final notice: claim the lottery prize of 5000 before midnight.
spam money   Get rich with one secret trick that banks hate. Click now!
spam money   Investors wanted, guaranteed profit, no risk, act now.
spam money   Your refund is waiting. Click this link and enter your card number.
spam travel  Free holiday for two! Click now to claim your tickets.
spam travel  You were selected for a luxury cruise, call now, limited offer.
spam travel  Cheap flights, huge discount today only, click to win a free hotel.
spam travel  Win a free weekend in Paris, text WIN now.
spam travel  Exclusive offer: beach resort at half price, book now or lose it.
spam travel  Claim your free airline miles, limited offer for winners.
spam health  Lose ten kilos in one week with this free miracle pill!
spam health  Doctors hate this trick, buy one bottle and get one free.
spam health  Cheap pills without prescription, discount today, order now.
spam health  Free sample of the miracle cream, click now, limited offer.
spam health  Stop pain now with our guaranteed cure, order today and win.
spam health  Your free health test is waiting, claim it with one click.
spam work    Work from home and earn 300 a day, no experience, apply now.
spam work    Your dream job is waiting, pay a small fee and start today.
spam work    Congratulations, you are hired! Click the link to claim your bonus.
spam work    Make money while you sleep, join our free seminar now.
mail money   Could you send me the invoice for March? The bank asks for it.
mail money   I paid the rent this morning, the receipt is attached.
mail money   The budget looks fine, but let us talk about the travel costs.
mail money   Dad, thank you for the loan, I will pay it back in June.
mail money   The bank called about the mortgage, can you go with me on Friday?
mail money   Please check the invoice again, the total seems wrong to me.
mail travel  Our train leaves at nine, see you at the station.
mail travel  The flight is late, please have dinner without me.
mail travel  I booked the hotel near the beach, the room has a view.
mail travel  Do you still have the map of Lisbon? We fly there in May.
mail travel  Mum and I are on the train, we arrive at six.
mail travel  The tickets are on the kitchen table, do not forget your passport.
mail health  The doctor says the fever is gone, I can go back to school.
mail health  Your appointment with the dentist is on Monday at ten.
mail health  Anna has a cold, so we stay at home and drink tea.
mail health  Did you take your pills this morning? Call the doctor if it hurts.
mail health  I ran five kilometres today and my knee feels fine.
mail health  The test came back, all is well, see you at dinner.
mail work    The meeting moved to Thursday at two, please bring the report.
mail work    Thank you for the draft, I will read it before the meeting.
mail work    Can you cover my shift on Sunday? I will take yours in June.
mail work    The report is attached, please send your comments by Monday.
mail work    The new printer is on the second floor, ask Tom for the code.
mail work    We hired a new colleague, she starts in the office on Monday.
"""


def messages() -> Texts:
    """Forty-eight short messages, half of them spam, on four topics.

    Returns
    -------
    Texts
        `spam` says "spam" or "mail", `topic` "money", "travel", "health" or "work".

    Examples
    --------
    >>> from corollary.datasets import messages
    >>> mail = messages()
    >>> len(mail.texts), str(mail.spam[0]), str(mail.topic[0])
    (48, 'spam', 'money')
    >>> mail.texts[0]
    'You have won a cash prize! Claim your free money now.'
    """
    rows = [line.split(maxsplit=2) for line in MESSAGES.strip().splitlines()]
    return Texts(
        name="messages",
        about="Which messages are wanted, and what are they about?",
        texts=tuple(row[2] for row in rows),
        spam=np.array([row[0] for row in rows]),
        topic=np.array([row[1] for row in rows]),
    )
