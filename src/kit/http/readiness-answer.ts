import type { Response } from 'express'
import type { Log } from '../process/log.ts'
import { logsAsAnswered } from './request-log.ts'

export type ReadinessLog = Log<'program.not_ready' | 'program.ready'>

/**
 * Probes ask every few seconds, so the log has what is missing once, and again only when that changes: a line for each
 * of them would bury why they were told no.
 */
export function readinessAnswers(log: ReadinessLog) {
  let told = ''
  return (res: Response, missing: readonly string[], body: object): void => {
    const detail = missing.join(', ')
    if (detail !== told) {
      if (detail) log('program.not_ready', { detail })
      else log('program.ready')
    }
    told = detail
    if (detail) logsAsAnswered(res, 'not_ready')
    res.status(detail ? 503 : 200).json(body)
  }
}
