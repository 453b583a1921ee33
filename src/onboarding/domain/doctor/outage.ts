import type { DoctorFinding } from './finding.ts'
import { inconclusive } from './finding.ts'

/** `no_names`: no name was resolved. `no_route`: names were resolved, and no route leads to their addresses. */
export type Outage = 'no_names' | 'no_route'

export const outageWords: Record<Outage, string> = {
  no_names: 'This machine cannot resolve names (DNS)',
  no_route: 'This machine cannot reach the internet: no route leads there',
}

/** Replaces the checks of the network: without one, they would blame the addresses of the app. */
export const outageFinding = (outage: Outage): DoctorFinding => ({
  ...inconclusive('internet', `${outageWords[outage]}. Nothing is known about the addresses of the app.`),
  remedy: {
    whoseMove: 'operator',
    advice:
      'The operator has to give this machine a DNS server and a route to the internet, and then run the doctor again.',
  },
})
