/** RFC 9110 §10.2.3: seconds, or a date. Undefined if it is neither; a date that has passed means at once. */
export function retryAfterSeconds(value: unknown, now: number): number | undefined {
  if (typeof value !== 'string') return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value)
  // The one form that is still written (IMF-fixdate): Date.parse alone would take almost anything.
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)) return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1_000))
}
