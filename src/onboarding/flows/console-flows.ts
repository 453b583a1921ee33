// Everything that can be asked of the support console beyond what the rest of the program does.
import type { Adapters, ConsoleAdapters } from './adapters.ts'
import {
  beginSignIn,
  type ConsoleSettings,
  endAllSessions,
  endSession,
  finishSignIn,
  rememberSession,
  stillVouchedFor,
} from './console-sign-in.ts'
import { exportAudit } from './export-audit.ts'
import { lookAtFunction } from './look-at-function.ts'
import { readOverview, search, showConnection, showLink } from './read-support.ts'

export const joinConsoleFlows = (adapters: Adapters & ConsoleAdapters, settings: ConsoleSettings) => ({
  beginSignIn: beginSignIn(adapters),
  finishSignIn: finishSignIn(adapters, settings),
  rememberSession: rememberSession(adapters),
  stillVouchedFor: stillVouchedFor(adapters, settings),
  endSession: endSession(adapters),
  endAllSessions: endAllSessions(adapters),

  readOverview: readOverview(adapters),
  search: search(adapters),
  listConnections: adapters.support.connections,
  listLinks: adapters.support.links,
  listDeliveries: adapters.support.deliveries,
  listReceivers: adapters.support.receivers,
  listAudit: adapters.support.audit,
  exportAudit: exportAudit(adapters),
  showConnection: showConnection(adapters),
  showLink: showLink(adapters),
  lookAtFunction: lookAtFunction(adapters),
})

export type ConsoleFlows = ReturnType<typeof joinConsoleFlows>
