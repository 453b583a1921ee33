import type { Response } from 'express'
import type { Log } from '../process/log.ts'
import { logsAsAnswered } from './request-log.ts'

export type ReadinessLog = Log<'program.not_ready' | 'program.ready'>

/** Logs only changes of readiness: probes ask every few seconds. */
export function readinessAnswers(log: ReadinessLog) {
  let reported = ''
  return (res: Response, missing: readonly string[], body: object): void => {
    const detail = missing.join(', ')
    if (detail !== reported) {
      if (detail) log('program.not_ready', { detail })
      else log('program.ready')
    }
    reported = detail
    if (detail) logsAsAnswered(res, 'not_ready')
    res.status(detail ? 503 : 200).json(body)
  }
}
