import { exactRouter } from '../../kit/http/exact-routing.ts'
import { type ReadinessLog, readinessAnswers } from '../../kit/http/readiness-answer.ts'
import { within } from '../../kit/process/background-work.ts'
import { questionHeader } from '../domain/doctor/own-address.ts'
import type { PartReport } from '../domain/platform-report.ts'

export type Readiness = Record<
  'redis' | 'database' | 'platform' | 'integrations' | 'auditExport',
  () => Promise<string | PartReport>
>

/** Without the platform links still start and their grants wait in escrow, so users must not be turned away. */
const dispensable = ['platform', 'auditExport']

/** These have warnings but no state. */
const warningsAlone = ['integrations', 'auditExport']

/** A hanging part counts as unavailable. */
const patienceMs = 2_000

/** Answered for any host, because probes do not send ours. */
export const healthAddresses = ['/healthz', '/readyz']

export async function readParts(parts: Readiness, waitMs: number): Promise<Array<PartReport & { name: string }>> {
  return Promise.all(
    Object.entries(parts).map(async ([name, ask]) => {
      const answer = (await within(ask(), waitMs)) ?? 'not answering'
      if (typeof answer === 'object') return { name, ...answer }
      return { name, ready: answer === 'ready', state: answer, warnings: [] }
    }),
  )
}

/** For the doctor, which checks that PUBLIC_URL leads here. */
type AnswerQuestion = (question: string) => string | undefined

export function health(parts: Readiness, answerQuestion: AnswerQuestion, log: ReadinessLog) {
  const answerProbe = readinessAnswers(log)
  return exactRouter()
    .get('/healthz', (req, res) => {
      const answer = answerQuestion(req.get(questionHeader) ?? '')
      res.json({ status: 'alive', ...(answer !== undefined && { answer }) })
    })
    .get('/readyz', async (_req, res) => {
      const reports = await readParts(parts, patienceMs)
      const missing = reports.filter(({ name, ready }) => !ready && !dispensable.includes(name))
      const states = reports.filter(({ name }) => !warningsAlone.includes(name)).map(({ name, state }) => [name, state])
      const warnings = reports.flatMap((report) => report.warnings)
      const named = missing.map(({ name, state }) => `${name}: ${state}`)
      answerProbe(res, named, {
        status: missing.length === 0 ? 'ready' : 'not ready',
        parts: Object.fromEntries(states),
        ...(warnings.length > 0 && { warnings }),
      })
    })
}
