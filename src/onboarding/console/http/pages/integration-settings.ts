import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { rollBackSettings } from '../../../settings/flows/change-integration.ts'
import { findSettings, listSettingsVersions } from '../../../settings/flows/read-settings.ts'
import { actAs, supportActor } from '../console-guards.ts'
import { renderSupport } from '../locals/frame.ts'
import { settingsLocals } from '../locals/settings/integration-settings.ts'
import type { PageParts } from '../page-parts.ts'
import { optional, pagerLocals, Reason } from './queries.ts'

const limit = 20

const version = z.coerce.number('must be a version').int().min(0)
const SettingsQuery = z.object({ cursor: optional(z.string().regex(/^\d{1,15}$/, 'is not a valid page')) })
const RollbackForm = z.strictObject({
  reason: Reason,
  version,
  ifVersion: version,
  breakConnections: z.literal('yes').optional(),
})

export const settingsPages = ({ ports, settings }: PageParts) =>
  exactRouter()
    .get('/doctor/:integration/settings', async (req, res) => {
      const { cursor } = SettingsQuery.parse(req.query)
      const integration = String(req.params.integration)
      const found = await findSettings(ports, integration)
      const page = await listSettingsVersions(ports, { integration, cursor, limit: limit + 1 })
      const versions = page.data.slice(0, limit)
      const nextCursor = page.data.length > limit ? String(versions.at(-1)?.version) : undefined
      const name = ports.integrations.find(integration)?.displayName ?? integration
      const before = page.data[limit]?.entry
      const locals = settingsLocals({ name, settings: found, versions, before, now: ports.now() })
      const pager = pagerLocals(`/support/doctor/${encodeURIComponent(integration)}/settings`, { cursor }, nextCursor)
      renderSupport(req, res, 'integration-settings', '/support/doctor', { ...locals, ...pager })
    })
    .post('/doctor/:integration/settings/rollback', actAs('admin', ports), async (req, res) => {
      const { version: to, breakConnections, ...form } = RollbackForm.parse(req.body)
      const integration = String(req.params.integration)
      const change = {
        ...form,
        actor: supportActor(req, res),
        integration,
        breakConnections: breakConnections === 'yes',
      }
      await rollBackSettings(ports, settings, { ...change, to })
      res.redirect(303, `/support/doctor/${encodeURIComponent(integration)}/settings`)
    })
