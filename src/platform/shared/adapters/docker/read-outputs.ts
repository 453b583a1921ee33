// The outputs of a container without a terminal come in frames: a byte for the output, three zeros, four bytes for the
// length (https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Container/operation/ContainerAttach).
import type { Duplex } from 'node:stream'
import type { EngineRun } from '../../domain/engine.ts'
import { outputPauses } from '../engines/output-pauses.ts'
import { outputTail } from '../output-tail.ts'

const headerBytes = 8
export const stderrOutput = 2

export type Outputs = { ended: Promise<void>; text(): { stdout: string; stderr: string } }

/** Ends with the stream, also if it breaks. dockerode's `demuxStream` reads ahead without a limit. */
export function readOutputs(
  stream: Duplex,
  { outputBytes, onOutput }: Pick<EngineRun, 'outputBytes' | 'onOutput'>,
): Outputs {
  const [stdout, stderr] = [outputTail(outputBytes), outputTail(outputBytes)]
  const read = async () => {
    for await (const { output, chunk } of partsOf(slowly(stream))) {
      const isError = output === stderrOutput
      ;(isError ? stderr : stdout).add(chunk)
      onOutput?.(isError ? 'stderr' : 'stdout', chunk)
    }
  }
  const ended = read().catch(() => undefined) // what was read until then counts
  return { ended, text: () => ({ stdout: stdout.text(), stderr: stderr.text() }) }
}

/** Passes on parts of a frame, because its length is the sender's word. */
export async function* partsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<{ output: number; chunk: Buffer }> {
  let rest: Buffer = Buffer.alloc(0)
  let [output, left] = [0, 0]
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (left > 0 ? rest.length > 0 : rest.length >= headerBytes) {
      if (left === 0) {
        output = rest.readUInt8(0)
        left = rest.readUInt32BE(4)
        rest = rest.subarray(headerBytes)
        continue
      }
      const part = rest.subarray(0, left)
      left -= part.length
      rest = rest.subarray(part.length)
      yield { output, chunk: part }
    }
  }
}

async function* slowly(stream: Duplex): AsyncGenerator<Buffer> {
  const pauseAfter = outputPauses()
  for await (const chunk of stream) {
    yield chunk
    await pauseAfter(chunk.length)
  }
}
