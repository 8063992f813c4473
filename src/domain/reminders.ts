/** The results of reminders, as metric labels. `refused`: the user accepts no direct messages. */
export const REMINDER_RESULTS = ['sent', 'dropped', 'limited', 'refused', 'retried', 'rejected'] as const;

export type ReminderResult = (typeof REMINDER_RESULTS)[number];
