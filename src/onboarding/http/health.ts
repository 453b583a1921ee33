import { exactRouter } from '../../kit/http/exact-routing.ts'
import { type ReadinessLog, readinessAnswers } from '../../kit/http/readiness-answer.ts'
import { within } from '../../kit/process/background-work.ts'
import { questionHeader } from '../domain/doctor/own-address.ts'
import type { PartReport } from '../domain/platform-report.ts'

/** Each part by the name an operator knows it by. */
export type Readiness = Record<'redis' | 'database' | 'platform' | 'integrations', () => Promise<boolean | PartReport>>

/** Without the platform links still start and their grants wait in escrow, so no balancer should turn users away. */
const dispensable = ['platform']

/** Settings: there are warnings about them, but they cannot be away. */
const settings = ['integrations']

/** A part that hangs is as good as away; who asks must not hang with it. */
const patienceMs = 2_000

/** Probes know no host, so these are answered under any. */
export const healthAddresses = ['/healthz', '/readyz']

export async function readParts(parts: Readiness, waitMs: number): Promise<Array<PartReport & { name: string }>> {
  return Promise.all(
    Object.entries(parts).map(async ([name, ask]) => {
      const answer = (await within(ask(), waitMs)) ?? false
      if (typeof answer === 'object') return { name, ...answer }
      return { name, ready: answer, state: answer ? 'ready' : 'not answering', warnings: [] }
    }),
  )
}

/** `answerQuestion`: for the doctor, who has to know whether an address leads here. Nobody else can ask. */
type HealthFlows = { answerQuestion(question: string): string | undefined }

export function health(parts: Readiness, { answerQuestion }: HealthFlows, log: ReadinessLog) {
  const answerProbe = readinessAnswers(log)
  return exactRouter()
    .get('/healthz', (req, res) => {
      const answer = answerQuestion(req.get(questionHeader) ?? '')
      res.json({ status: 'alive', ...(answer !== undefined && { answer }) })
    })
    .get('/readyz', async (_req, res) => {
      const reports = await readParts(parts, patienceMs)
      const missing = reports.filter(({ name, ready }) => !ready && !dispensable.includes(name))
      const states = reports.filter(({ name }) => !settings.includes(name)).map(({ name, state }) => [name, state])
      const warnings = reports.flatMap((report) => report.warnings)
      const named = missing.map(({ name, state }) => `${name}: ${state}`)
      answerProbe(res, named, {
        status: missing.length === 0 ? 'ready' : 'not ready',
        parts: Object.fromEntries(states),
        ...(warnings.length > 0 && { warnings }),
      })
    })
}
