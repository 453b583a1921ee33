import { Failure } from '../../../shared/domain/failure.ts'

/** Per process of the platform. Counts one more for the name, until the returned function is called. */
export function openLimit(max: number, what: string) {
  const open = new Map<string, number>()
  const count = (name: string, by: 1 | -1) => {
    const now = (open.get(name) ?? 0) + by
    if (now > 0) open.set(name, now)
    else open.delete(name)
  }
  return (name: string): (() => void) => {
    if ((open.get(name) ?? 0) >= max) {
      const detail = `${max} ${what}, which is the maximum. Wait until one has ended.`
      throw new Failure('too_many_requests', detail, { retryAfterSeconds })
    }
    count(name, 1)
    return () => count(name, -1)
  }
}

const retryAfterSeconds = 5
