import type { Command } from './command.ts'
import { auditVerify } from './commands/audit.ts'
import { completion } from './commands/completion.ts'
import { connections, connectionsUpdate, mcpClients } from './commands/connections.ts'
import { events, eventsResend } from './commands/events.ts'
import { integrations } from './commands/integrations.ts'
import { links, linksTail } from './commands/links.ts'
import { listen } from './commands/listen.ts'
import { login, logout } from './commands/login.ts'
import { operatorCommands } from './commands/operator.ts'
import { policies, policiesHistory, policiesPut, policiesRemove, policiesRollback } from './commands/policies.ts'
import { request } from './commands/request.ts'
import { tenants } from './commands/tenants.ts'
import { trigger } from './commands/trigger.ts'

export const commands: readonly Command[] = [
  login,
  logout,
  listen,
  trigger,
  links,
  linksTail,
  connections,
  connectionsUpdate,
  mcpClients,
  policies,
  policiesPut,
  policiesRemove,
  policiesHistory,
  policiesRollback,
  request,
  auditVerify,
  events,
  eventsResend,
  tenants,
  integrations,
  ...operatorCommands,
  completion(() => commands),
]
