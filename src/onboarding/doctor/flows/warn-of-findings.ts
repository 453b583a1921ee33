import type { Log } from '../../../kit/process/log.ts'
import type { Examination } from './examine-integration.ts'

type Needs = {
  log: Log<'integration.misregistered'>
  examineAll(): Promise<Examination[]>
  /** For the metrics. */
  recordFindings(examined: Examination[]): void
}

/** Says what would otherwise be found out by users, one link at a time. No provider is asked. */
export const warnOfFindings =
  ({ log, examineAll, recordFindings }: Needs) =>
  async (): Promise<void> => {
    const examined = await examineAll()
    recordFindings(examined)
    for (const { subject, findings } of examined) {
      // Addresses that are not called are warned about with how to allow them.
      for (const { check, verdict, evidence } of findings) {
        if (verdict !== 'wrong' || check === 'addresses') continue
        const detail = `${evidence} See /support/doctor, or causeway doctor.`
        log('integration.misregistered', { integration: subject.integration.id, detail })
      }
    }
  }
