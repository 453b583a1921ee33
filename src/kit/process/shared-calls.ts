/** A call with a key whose call is running gets the same result. */
export function sharedCalls<T>(): (key: string, call: () => Promise<T>) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  return (key, call) => {
    const current = running.get(key) ?? call().finally(() => void running.delete(key))
    running.set(key, current)
    return current
  }
}
