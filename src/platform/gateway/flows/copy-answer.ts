import type { Bytes } from '../domain/workload.ts'

export type AnswerCopy = { text: string; length: number }

/**
 * Passes an answer on while a copy of its beginning is taken, and hands over the copy with the full length before the
 * end. One that breaks off is not handed over.
 */
export async function* withCopy(body: Bytes, largest: number, keep: (copy: AnswerCopy) => Promise<void>): Bytes {
  const collect = collector(largest)
  for await (const chunk of body) {
    collect.add(chunk)
    yield chunk
  }
  await keep(collect.copy())
}

export async function readCopy(body: Bytes, largest: number): Promise<AnswerCopy> {
  const collect = collector(largest)
  for await (const chunk of body) collect.add(chunk)
  return collect.copy()
}

function collector(largest: number) {
  const chunks: Uint8Array[] = []
  let length = 0
  return {
    add(chunk: Uint8Array) {
      if (length < largest) chunks.push(chunk)
      length += chunk.length
    },
    copy: (): AnswerCopy => ({ text: Buffer.concat(chunks).subarray(0, largest).toString(), length }),
  }
}
