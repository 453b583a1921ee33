/** Aborted after a time or with another signal. AbortSignal.any() may never fire in Node 20 (nodejs/node#57736). */
export function timeLimit(ms: number, other: AbortSignal) {
  const over = new AbortController()
  const end = () => over.abort()
  const timer = setTimeout(end, ms)
  other.addEventListener('abort', end)
  if (other.aborted) end()
  const close = () => {
    clearTimeout(timer)
    other.removeEventListener('abort', end)
  }
  return { signal: over.signal, end, close }
}
