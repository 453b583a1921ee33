import type { DoctorFinding } from '../../domain/doctor/finding.ts'
import { answerTo, ownAddressFinding, questionOf } from '../../domain/doctor/own-address.ts'
import type { DoctorPorts } from '../../domain/ports/doctor.ts'
import type { Clock, Tokens } from '../../domain/ports/shared.ts'

type Needs = { ownAddress: DoctorPorts['ownAddress']; tokens: Tokens; now: Clock }

/** What is the same for every integration: whether users who come back from an app get here. */
export const examineDeployment =
  ({ ownAddress, tokens, now }: Needs) =>
  async (): Promise<DoctorFinding[]> => {
    const question = questionOf(tokens, tokens.fresh(), now())
    const expected = answerTo(tokens, question, now()) ?? ''
    return [ownAddressFinding(ownAddress.publicUrl, await ownAddress.ask(question, expected))]
  }

/** Undefined for a question that this deployment did not ask. */
export const answerQuestion =
  ({ tokens, now }: Pick<Needs, 'tokens' | 'now'>) =>
  (question: string): string | undefined =>
    answerTo(tokens, question, now())
