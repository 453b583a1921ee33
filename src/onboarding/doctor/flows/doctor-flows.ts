import type { DoctorPorts } from '../../domain/ports/doctor.ts'
import type { ProvisioningPorts } from '../../domain/ports/provisioning.ts'
import type { SharedPorts } from '../../domain/ports/shared.ts'
import type { TenantPorts } from '../../domain/ports/tenants.ts'
import { answerQuestion, examineDeployment } from './examine-deployment.ts'
import { examineAll, examineIntegration, examineOnRequest } from './examine-integration.ts'

export const doctorFlows = (ports: SharedPorts & TenantPorts & ProvisioningPorts & DoctorPorts) => ({
  examineDeployment: examineDeployment(ports),
  answerQuestion: answerQuestion(ports),
  examineIntegration: examineIntegration(ports),
  examineAll: examineAll(ports),
  examineOnRequest: examineOnRequest(ports),
})

export type DoctorFlows = ReturnType<typeof doctorFlows>
