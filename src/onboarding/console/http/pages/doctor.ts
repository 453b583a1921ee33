import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { examineDeployment } from '../../../doctor/flows/examine-deployment.ts'
import { examineAll, examineIntegration, examineOnRequest } from '../../../doctor/flows/examine-integration.ts'
import { tenantIdPattern } from '../../../domain/tenant.ts'
import { readHealthByDay } from '../../flows/read-support.ts'
import { actAs, supportActor } from '../console-guards.ts'
import { doctorLocals, examinationLocals } from '../locals/doctor.ts'
import { renderSupport } from '../locals/frame.ts'
import type { PageParts } from '../page-parts.ts'
import { optional, Reason } from './queries.ts'

const tenant = optional(z.string().regex(tenantIdPattern, 'is not a valid tenant ID'))
const DoctorQuery = z.object({ tenant })
const ExamineForm = z.strictObject({ reason: Reason, tenant })

/** Opening a page sends no requests to providers. */
export const doctorPages = ({ ports }: PageParts) =>
  exactRouter()
    .get('/doctor', async (req, res) => {
      const locals = doctorLocals(await examineAll(ports), new Date())
      renderSupport(req, res, 'doctor', '/support/doctor', locals)
    })
    .get('/doctor/:integration', async (req, res) => {
      const { tenant } = DoctorQuery.parse(req.query)
      const about = { integration: String(req.params.integration), tenant, network: false }
      const examination = await examineIntegration(ports, about)
      // Health is counted per integration, not per client.
      const health = tenant === undefined ? await readHealthByDay(ports, about.integration) : undefined
      const locals = examinationLocals(examination, { isAsked: false, health })
      renderSupport(req, res, 'examination', '/support/doctor', locals)
    })
    .post('/doctor/:integration/examine', actAs('agent', ports), async (req, res) => {
      const { reason, tenant } = ExamineForm.parse(req.body)
      const integration = String(req.params.integration)
      const examination = await examineOnRequest(ports, { integration, tenant, reason, actor: supportActor(req, res) })
      const findings = [...(await examineDeployment(ports)), ...examination.findings]
      const locals = examinationLocals({ ...examination, findings }, { isAsked: true, health: undefined })
      renderSupport(req, res, 'examination', '/support/doctor', locals)
    })
