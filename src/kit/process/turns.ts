type Queue = { running: number; waiting: Array<() => void> }

/** At most `max` at the same time for each name. The others wait in order. A turn ends with the returned function. */
export function turns(max: number) {
  const queues = new Map<string, Queue>()
  const end = (name: string, queue: Queue) => {
    const next = queue.waiting.shift()
    if (next) return next()
    queue.running--
    if (queue.running === 0) queues.delete(name)
  }
  return async (name: string): Promise<() => void> => {
    const queue = queues.get(name) ?? { running: 0, waiting: [] }
    queues.set(name, queue)
    if (queue.running < max) queue.running++
    else await new Promise<void>((resolve) => queue.waiting.push(resolve))
    return () => end(name, queue)
  }
}
