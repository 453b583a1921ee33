import { ThreadId } from '../../../contract/headers.ts'
import { Failure } from '../../shared/domain/failure.ts'

type ThreadMessage = { role: 'user' | 'assistant'; content: string }

export type Thread = { workspace: string; agent: string; id: string }

/** Limited in time and size: the oldest messages are dropped first. */
export type ThreadMemory = {
  recall(thread: Thread): Promise<ThreadMessage[]>
  remember(thread: Thread, messages: readonly ThreadMessage[]): Promise<void>
}

export const maxMessageChars = 16_384

export function threadIdOf(given: string): string {
  if (!ThreadId.safeParse(given).success) {
    throw new Failure('input_invalid', 'A thread ID must have 1 to 256 visible ASCII characters.')
  }
  return given
}
