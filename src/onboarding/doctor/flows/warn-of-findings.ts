import type { Log } from '../../../kit/process/log.ts'
import type { Examination } from './examine-integration.ts'

/** Said once at start, without asking anybody: what would otherwise be found out by users, one link at a time. */
export async function warnOfFindings(log: Log<'integration.misregistered'>, examineAll: () => Promise<Examination[]>): Promise<void> {
  for (const { subject, findings } of await examineAll()) {
    // Addresses that are not called are warned about with how to allow them.
    for (const { check, verdict, evidence } of findings) {
      if (verdict !== 'wrong' || check === 'addresses') continue
      const detail = `${evidence} See /support/doctor, or causeway doctor`
      log('integration.misregistered', { integration: subject.integration.id, detail })
    }
  }
}
