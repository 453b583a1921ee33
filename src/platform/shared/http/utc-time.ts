const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** For `<time>` on pages. */
export const utcTime = (at: Date) => ({ iso: at.toISOString(), text: format.format(at) })
