import type { DoctorFinding } from '../../domain/doctor/finding.ts'
import { answerTo, ownAddressFinding, questionOf } from '../../domain/doctor/own-address.ts'
import type { Ports } from '../../domain/ports/ports.ts'

export async function examineDeployment({
  ownAddress,
  tokens,
  now,
}: Pick<Ports, 'ownAddress' | 'tokens' | 'now'>): Promise<DoctorFinding[]> {
  const question = questionOf(tokens, tokens.fresh(), now())
  const expected = answerTo(tokens, question, now()) ?? ''
  return [ownAddressFinding(ownAddress.publicUrl, await ownAddress.ask(question, expected))]
}

/** Returns undefined if this deployment did not send the question. */
export const answerQuestion = ({ tokens, now }: Pick<Ports, 'tokens' | 'now'>, question: string): string | undefined =>
  answerTo(tokens, question, now())
