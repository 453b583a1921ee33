/** Callers share loads. A caller during a load waits for the next one, so it never gets older data. */
export function sharedLoad<T>(load: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  const next = new Map<string, Promise<T>>()
  const start = (key: string): Promise<T> => {
    const loading = load(key)
    running.set(key, loading)
    const done = () => running.get(key) === loading && running.delete(key)
    loading.then(done, done)
    return loading
  }
  const startAfter = (key: string, current: Promise<T>): Promise<T> => {
    const begin = () => {
      next.delete(key)
      return start(key)
    }
    const queued = current.then(begin, begin)
    next.set(key, queued)
    return queued
  }
  return (key) => {
    const current = running.get(key)
    return next.get(key) ?? (current === undefined ? start(key) : startAfter(key, current))
  }
}
