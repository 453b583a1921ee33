import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { tenantIdPattern } from '../../../domain/tenant.ts'
import type { AreaFlows, ConsoleFlows } from '../../flows/console-flows.ts'
import { actAs, supportActor } from '../console-guards.ts'
import { doctorLocals, examinationLocals } from '../locals/doctor.ts'
import { frameLocals } from '../locals/frame.ts'
import { optional, Reason } from './queries.ts'

type Needs = {
  flows: Pick<AreaFlows, 'examineAll' | 'examineDeployment' | 'examineIntegration' | 'examineOnRequest' | 'noteRefusal'>
  console: Pick<ConsoleFlows, 'readHealthByDay'>
}

const tenant = optional(z.string().regex(tenantIdPattern, 'is not a valid tenant ID'))
const DoctorQuery = z.object({ tenant })
const ExamineForm = z.strictObject({ reason: Reason, tenant })

/** Opening a page asks no provider; a button does, at most once a minute. */
export const doctorPages = ({ flows, console }: Needs) =>
  exactRouter()
    .get('/doctor', async (req, res) => {
      const locals = doctorLocals(await flows.examineAll(), new Date())
      res.render('onboarding/support/doctor', { ...locals, ...frameLocals(req, res, '/support/doctor') })
    })
    .get('/doctor/:integration', async (req, res) => {
      const { tenant } = DoctorQuery.parse(req.query)
      const about = { integration: String(req.params.integration), tenant, network: false }
      const examination = await flows.examineIntegration(about)
      // The page of a tenant's own client is about that client alone; checks are counted by integration.
      const health = tenant === undefined ? await console.readHealthByDay(about.integration) : undefined
      const locals = examinationLocals(examination, { isAsked: false, health })
      res.render('onboarding/support/examination', { ...locals, ...frameLocals(req, res, '/support/doctor') })
    })
    .post('/doctor/:integration/examine', actAs('agent', flows.noteRefusal), async (req, res) => {
      const { reason, tenant } = ExamineForm.parse(req.body)
      const integration = String(req.params.integration)
      const examination = await flows.examineOnRequest({ integration, tenant, reason, actor: supportActor(req, res) })
      const findings = [...(await flows.examineDeployment()), ...examination.findings]
      const locals = examinationLocals({ ...examination, findings }, { isAsked: true, health: undefined })
      res.render('onboarding/support/examination', { ...locals, ...frameLocals(req, res, '/support/doctor') })
    })
