import type { Integration } from '../domain/integration.ts'
import { github } from './github.ts'
import { gmail } from './gmail.ts'
import { googleCalendar } from './google-calendar.ts'
import { googleDrive } from './google-drive.ts'
import { microsoft } from './microsoft.ts'
import { slack } from './slack.ts'

export const shippedIntegrations: readonly Integration[] = [
  gmail,
  googleDrive,
  googleCalendar,
  slack,
  github,
  microsoft,
]

/** What functions can act at: the shipped ones and those of the deployment's file, which win by name. */
export function catalogue(configured: readonly Integration[]): ReadonlyMap<string, Integration> {
  return new Map([...shippedIntegrations, ...configured].map((each) => [each.name, each]))
}
