/** RFC 9110, section 10.2.3: seconds or a date. Undefined if invalid; 0 for a date in the past. */
export function retryAfterSeconds(value: unknown, now: number): number | undefined {
  if (typeof value !== 'string') return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value)
  // IMF-fixdate only: Date.parse accepts almost anything.
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)) return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1_000))
}
