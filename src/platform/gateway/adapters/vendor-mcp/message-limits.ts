// How much a vendor's server may say. Each message costs the protocol's library far more than its bytes cost the server,
// and each that asks for something costs a request of ours besides.
import { ThirdPartyError } from '../../domain/connection.ts'
import { messageRate } from '../../domain/message-rate.ts'

const nowMs = () => performance.now()

/** Events of one stream; comments that keep it open are among them. */
export const streamedEvents = () => messageRate({ burst: 2_000, perSecond: 50 }, nowMs)

/** What one server asks in return: whether anybody is there, at most. */
export const askedInReturn = () => messageRate({ burst: 20, perSecond: 1 }, nowMs)

/** Broken answers that are asked for again, of one login. */
export const resumptions = () => messageRate({ burst: 20, perSecond: 2 }, nowMs)

export const tooManyMessages = () => new ThirdPartyError('It sent too many messages.')

/** More than a server has to say in one text: it is asked one thing at a time. */
const mostInOne = 100

/** The messages of an answer that is one text. */
export function messagesIn(answer: unknown): unknown[] {
  if (!Array.isArray(answer)) return [answer]
  if (answer.length > mostInOne) throw tooManyMessages()
  return answer
}
