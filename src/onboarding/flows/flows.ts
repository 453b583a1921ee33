// Everything that can be asked of this program, with its parts joined.

import { actOnce } from './act-once.ts'
import type { Adapters, Settings } from './adapters.ts'
import { cancelCampaign } from './cancel-campaign.ts'
import { checkDueConnections, checkHealth, readHealth } from './check-health.ts'
import { completeLink } from './complete-link.ts'
import { deliverWebhooks } from './deliver-webhooks.ts'
import { disconnect } from './disconnect.ts'
import { consentAgain, followLink } from './follow-link.ts'
import { forgetOld } from './forget-old.ts'
import { giveUpLinks } from './give-up-links.ts'
import { limitRate } from './limit-rate.ts'
import { listAudit } from './list-audit.ts'
import { listIntegrations } from './list-integrations.ts'
import {
  deleteOwnClient,
  listOwnClients,
  listTenants,
  putOwnClient,
  putTenant,
  readTenant,
  rotateSigningSecret,
} from './manage-tenants.ts'
import { createWebhook, deleteWebhook, enableWebhook, listWebhooks, rotateWebhookSecret } from './manage-webhooks.ts'
import { mintConnectSession } from './mint-connect-session.ts'
import { noteRefusal } from './note-refusal.ts'
import { countInNeed, listCampaignMembers, listCampaigns, readCampaign } from './read-campaigns.ts'
import { cancelSession, listConnections, listLinks, readConnection, readLink, readSession } from './read-ledger.ts'
import { readTask } from './read-task.ts'
import { receiveCallback } from './receive-callback.ts'
import { relinkConnection } from './relink-connection.ts'
import { resumeLink } from './resume-link.ts'
import { resumeLinks } from './resume-links.ts'
import { returnBrowser } from './return-browser.ts'
import { rollBack } from './roll-back.ts'
import { showConnectPage } from './show-connect-page.ts'
import { startCampaign } from './start-campaign.ts'
import { noteForeignConsent, startLink } from './start-link.ts'
import { verifyConnection } from './verify-connection.ts'
import { listDeliveries, readDelivery, replayDelivery } from './webhook-deliveries.ts'
import { resumeTasks } from './work-on-task.ts'

export const joinFlows = (adapters: Adapters, settings: Settings) => ({
  showConnectPage: showConnectPage(adapters),
  startLink: startLink(adapters, settings),
  receiveCallback: receiveCallback(adapters, settings),
  followLink: followLink(adapters),
  consentAgain: consentAgain(adapters, settings),
  returnBrowser: returnBrowser(adapters),

  mintConnectSession: mintConnectSession(adapters, settings),
  readSession: readSession(adapters),
  cancelSession: cancelSession(adapters),
  completeLink: completeLink(adapters, settings),

  putTenant: putTenant(adapters),
  readTenant: readTenant(adapters),
  rotateSigningSecret: rotateSigningSecret(adapters),
  listTenants: listTenants(adapters),
  listOwnClients: listOwnClients(adapters),
  putOwnClient: putOwnClient(adapters),
  deleteOwnClient: deleteOwnClient(adapters),
  listIntegrations: listIntegrations(adapters),
  readLink: readLink(adapters),
  resumeLink: resumeLink(adapters, settings),
  listLinks: listLinks(adapters),
  readConnection: readConnection(adapters),
  listConnections: listConnections(adapters),
  relinkConnection: relinkConnection(adapters, settings),
  checkHealth: checkHealth(adapters, settings),
  readHealth: readHealth(adapters),
  verifyConnection: verifyConnection(adapters, settings),
  rollBack: rollBack(adapters, settings),
  disconnect: disconnect(adapters, settings),
  readTask: readTask(adapters),
  startCampaign: startCampaign(adapters, settings),
  readCampaign: readCampaign(adapters),
  listCampaigns: listCampaigns(adapters),
  listCampaignMembers: listCampaignMembers(adapters),
  countInNeed: countInNeed(adapters),
  cancelCampaign: cancelCampaign(adapters),
  listAudit: listAudit(adapters),

  createWebhook: createWebhook(adapters),
  listWebhooks: listWebhooks(adapters),
  deleteWebhook: deleteWebhook(adapters),
  rotateWebhookSecret: rotateWebhookSecret(adapters),
  enableWebhook: enableWebhook(adapters),
  listDeliveries: listDeliveries(adapters),
  readDelivery: readDelivery(adapters),
  replayDelivery: replayDelivery(adapters),

  actOnce: actOnce(adapters),
  limitRate: limitRate(adapters),
  noteRefusal: noteRefusal(adapters),
  noteForeignConsent: noteForeignConsent(adapters),
  resumeLinks: resumeLinks(adapters, settings),
  giveUpLinks: giveUpLinks(adapters, settings),
  resumeTasks: resumeTasks(adapters, settings),
  checkDueConnections: checkDueConnections(adapters, settings),
  deliverWebhooks: deliverWebhooks(adapters),
  forgetOld: forgetOld(adapters),
})

export type Flows = ReturnType<typeof joinFlows>
