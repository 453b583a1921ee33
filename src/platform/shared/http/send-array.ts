import type { Response } from 'express'

export async function sendArray<T>(
  res: Response,
  steps: AsyncIterable<T[]>,
  show: (step: T[]) => unknown[],
): Promise<void> {
  let lead = '['
  res.type('json')
  for await (const step of steps) {
    if (res.closed) return
    const items = show(step).map((item) => JSON.stringify(item))
    if (!res.write(lead + items.join(','))) await roomToWrite(res)
    lead = ','
  }
  res.end(lead === '[' ? '[]' : ']')
}

function roomToWrite(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.on('drain', done).on('close', done)
  })
}
