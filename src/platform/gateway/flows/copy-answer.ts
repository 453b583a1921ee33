import type { Bytes } from '../domain/workload.ts'

export type AnswerCopy = { text: string; length: number }

/** Passes on a body and keeps a copy of its beginning. Calls `keep` before the end, but not if the body breaks off. */
export async function* withCopy(body: Bytes, maxBytes: number, keep: (copy: AnswerCopy) => Promise<void>): Bytes {
  const collect = collector(maxBytes)
  for await (const chunk of body) {
    collect.add(chunk)
    yield chunk
  }
  await keep(collect.copy())
}

export async function readCopy(body: Bytes, maxBytes: number): Promise<AnswerCopy> {
  const collect = collector(maxBytes)
  for await (const chunk of body) collect.add(chunk)
  return collect.copy()
}

function collector(maxBytes: number) {
  const chunks: Uint8Array[] = []
  let length = 0
  return {
    add(chunk: Uint8Array) {
      if (length < maxBytes) chunks.push(chunk)
      length += chunk.length
    },
    copy: (): AnswerCopy => ({ text: Buffer.concat(chunks).subarray(0, maxBytes).toString(), length }),
  }
}
