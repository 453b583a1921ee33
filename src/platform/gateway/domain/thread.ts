import { ThreadId } from '../../../contract/headers.ts'
import { Failure } from '../../shared/domain/failure.ts'

export type ThreadMessage = { role: 'user' | 'assistant'; content: string }

/** One conversation: a workspace's, with one agent, under the name its client made up. */
export type Thread = { workspace: string; agent: string; id: string }

/** Kept for a while and bounded: the oldest messages go first. */
export type ThreadMemory = {
  recall(thread: Thread): Promise<ThreadMessage[]>
  remember(thread: Thread, messages: readonly ThreadMessage[]): Promise<void>
}

/** Longer messages are cut: memory is for a conversation, not for files. */
export const longestMessage = 16_384

export function threadIdOf(given: string): string {
  if (!ThreadId.safeParse(given).success) {
    throw new Failure('input_invalid', 'A thread id has 1 to 256 visible ASCII characters.')
  }
  return given
}
