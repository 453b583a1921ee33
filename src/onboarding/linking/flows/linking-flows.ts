import type { LinkingPorts } from '../../domain/ports/linking.ts'
import type { ProvisioningPorts } from '../../domain/ports/provisioning.ts'
import type { SharedPorts } from '../../domain/ports/shared.ts'
import type { TenantPorts } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import { cancelLink } from './cancel-link.ts'
import { completeLink } from './complete-link.ts'
import { cancelConsent, consentAgain, followLink } from './follow-link.ts'
import { leaveChoice } from './leave-choice.ts'
import { mintConnectSession } from './mint-connect-session.ts'
import { linkPageOwner } from './page-owner.ts'
import { readClientDocument } from './read-client-document.ts'
import { cancelSession, listLinks, readLink, readNames, readSession } from './read-links.ts'
import { codeParameterOf, receiveCallback } from './receive-callback.ts'
import { returnBrowser } from './return-browser.ts'
import { showConnectPage } from './show-connect-page.ts'
import { noteForeignConsent, startLink } from './start-link.ts'
import { authorizeInTestMode } from './test-authorization.ts'

type Ports = SharedPorts & TenantPorts & ProvisioningPorts & LinkingPorts

export const linkingFlows = (ports: Ports, settings: Settings) => ({
  showConnectPage: showConnectPage(ports),
  startLink: startLink(ports, settings),
  cancelLink: cancelLink(ports, settings),
  leaveChoice: leaveChoice(ports),
  receiveCallback: receiveCallback(ports, settings),
  codeParameterOf: codeParameterOf(ports),
  readClientDocument: readClientDocument(ports, settings),
  followLink: followLink(ports),
  consentAgain: consentAgain(ports, settings),
  cancelConsent: cancelConsent(ports),
  returnBrowser: returnBrowser(ports, settings),
  mintConnectSession: mintConnectSession(ports, settings),
  readSession: readSession(ports),
  cancelSession: cancelSession(ports),
  completeLink: completeLink(ports, settings),
  readLink: readLink(ports),
  readNames: readNames(ports),
  listLinks: listLinks(ports),
  noteForeignConsent: noteForeignConsent(ports),
  linkPageOwner: linkPageOwner(ports),
  authorizeInTestMode: authorizeInTestMode(ports, settings),
})

export type LinkingFlows = ReturnType<typeof linkingFlows>
