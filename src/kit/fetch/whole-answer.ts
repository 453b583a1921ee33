// Reads a small response whole. The streams of the library cost more than the rest of a short exchange.
import type { Dispatcher } from 'undici'

export type WholeAnswer = { status: number; headers: AnswerHeaders; body: Buffer }

export type AnswerHeaders = Record<string, string | string[] | undefined>

type WholeCall = Dispatcher.DispatchOptions & {
  /** Covers the whole exchange. `unsent` if the wait for a connection took all of it. */
  limit?: { ms: number; reason(): Error; unsent(): Error }
  /** Counted as bytes arrive; the connection is cut above it. */
  size?: { bytes: number; reason(): Error }
  /** Called with an incomplete response before the call fails. */
  onPartial?: (partial: WholeAnswer) => void
}

export const wholeAnswer = (
  dispatcher: Dispatcher,
  { limit, size, onPartial, ...call }: WholeCall,
): Promise<WholeAnswer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let status = 0
    let headers: AnswerHeaders = {}
    let started: Dispatcher.DispatchController | undefined
    let unsent: Error | undefined
    const giveUp = () => {
      if (started) return started.abort(limit?.reason() as Error)
      unsent = limit?.unsent()
      reject(unsent)
    }
    const timer = limit && setTimeout(giveUp, limit.ms)
    const answer = (): WholeAnswer => ({ status, headers, body: Buffer.concat(chunks) })
    dispatcher.dispatch(call, {
      onRequestStart(controller) {
        started = controller
        if (unsent) controller.abort(unsent) // already reported
      },
      onResponseStart(_controller, code, received) {
        status = code
        headers = received
      },
      onResponseData(controller, chunk) {
        const room = (size?.bytes ?? Number.POSITIVE_INFINITY) - bytes
        bytes += chunk.length
        if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
        if (size && chunk.length > room) controller.abort(size.reason())
      },
      onResponseEnd() {
        clearTimeout(timer)
        resolve(answer())
      },
      onResponseError(_controller, error) {
        clearTimeout(timer)
        if (bytes > 0) onPartial?.(answer())
        reject(error)
      },
    })
  })
