"""Short messages to sort: wanted or not, and by topic."""

from __future__ import annotations

import numpy as np

from corollary.datasets.records import Texts

__all__ = ["messages"]

MESSAGES = """
spam money   You have won a cash prize! Claim your free money now.
spam money   Free loan approved today, cash in your bank account, apply now!
spam money   Earn money from home, double your cash in one week, free to join.
spam money   Urgent: your bank account is locked, click the link to pay now.
spam money   Final notice: claim the lottery money, a cash prize of 5000, now.
spam money   Get rich with one trick that your bank hates, free money, click now!
spam money   Pay no tax and keep your money: free advice, call now.
spam money   Your bank refund is waiting. Click this link to claim the cash.
spam travel  Free holiday for two! Claim your flight and hotel now.
spam travel  You won a luxury holiday, flight and hotel free, call now.
spam travel  Cheap flight tickets, huge discount today, click to win a free hotel.
spam travel  Win a free trip to Paris, train tickets and hotel, text WIN now.
spam travel  Exclusive offer: holiday at the beach at half price, book now.
spam travel  Claim your free flight tickets, limited offer for winners.
spam travel  Your hotel voucher is waiting, a free trip, click to claim it.
spam travel  Last chance: win a holiday at the beach, free tickets, click now.
spam health  Lose weight in one week with this free miracle pill!
spam health  The doctor hates this trick: pills for every pain, now free.
spam health  Cheap pills without a doctor, discount today, order your medicine now.
spam health  Free sample of the miracle medicine, no more pain, click now.
spam health  Stop the pain now with our miracle pills, order today and win.
spam health  Your free health test is waiting, no doctor, claim it now.
spam health  Miracle diet for your health, lose weight, limited offer, click now.
spam health  Win a year of free medicine for the flu, click the link.
spam work    Work from home and win a new job, no boss, apply now.
spam work    Your dream job is waiting, start work today, click to apply.
spam work    Congratulations, the job is yours! Click the link, start work now.
spam work    No office, no boss, free job offer, start work today.
spam work    Win a job at a top company, free offer, send your report now.
spam work    Boss wanted: lead an office from home, apply now, free start.
spam work    One click and the job is yours: easy work, limited offer.
spam work    Free course, new job: every office wants you, join now.
mail money   Could you pay the bill for March? The bank asks for the money.
mail money   I paid the rent this morning, the bank sent the bill.
mail money   I will pay you the money for the bill on Friday.
mail money   Dad, thank you for the loan, I will pay the money back in June.
mail money   The bank called about the loan, can you go there with me on Friday?
mail money   Please check the bill again, they want too much money from us.
mail money   My account at the bank has enough cash for the rent.
mail money   Did the bank pay the tax from our account?
mail travel  Our train leaves at nine, I have the tickets, see you there.
mail travel  The flight is late, I will take the train from the airport.
mail travel  I booked the hotel near the beach, and the flight is at ten.
mail travel  Do you have the train tickets for our trip to Lisbon?
mail travel  Mum and I are on the train, the hotel is near the station.
mail travel  The tickets for the flight are on the table, enjoy the trip.
mail travel  The beach was cold, but I liked the hotel and the trip.
mail travel  We missed the train to the airport, can you change the flight?
mail health  The doctor says the flu is gone, I have no pain.
mail health  I will see the doctor on Monday at ten for the pain in my knee.
mail health  Anna has the flu, so we stay at home with tea and medicine.
mail health  Did you take the pills this morning? Call the doctor if you have pain.
mail health  The doctor wants a test of my health, I go on Friday.
mail health  The test came back, the doctor says my health is fine.
mail health  Can you get the medicine for Anna? The doctor wrote it down.
mail health  I have a headache, the pain is bad, where are the pills?
mail work    The meeting at the office is at two, please bring the report.
mail work    Thank you for the report, I will read it before the meeting.
mail work    Can you work for me on Sunday? I asked the boss and she agreed.
mail work    The report is done, please send it to the boss by Monday.
mail work    The office is closed on Friday, so we work from home.
mail work    My new job is fine, the boss is kind, the office is near.
mail work    The boss moved the meeting to Monday, I am at work until six.
mail work    I will be late at the office, the meeting about the job is long.
"""


def messages() -> Texts:
    """Sixty-four short messages, half of them spam, on four topics.

    They were written for this library, so that the words of a topic come again and
    again: a classifier that works sorts nearly all of them, and its score here says
    nothing of real mail.

    Returns
    -------
    Texts
        `spam` says "spam" or "mail", `topic` "money", "travel", "health" or "work".

    Examples
    --------
    >>> from corollary.datasets import messages
    >>> mail = messages()
    >>> len(mail.texts), str(mail.spam[0]), str(mail.topic[0])
    (64, 'spam', 'money')
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
