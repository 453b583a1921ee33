import { z } from 'zod'
import { Configuration, Integration, Location, Template } from '../../../contract/control-plane/catalogue.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { CallerRequest, Operation } from '../../shared/http/operation.ts'
import { configuration, locations, templates } from '../domain/offers.ts'

export type Offers = { images: readonly string[]; integrations: readonly Integration[] }

/** What the platform offers, the same for everybody. */
export function offerOperations({ images, integrations }: Offers): Operation[] {
  return [
    readOnly('/templates', 'templates:list', 'List the templates', z.array(Template), () => templates),
    readOnly('/templates/{templateName}', 'templates:get', 'Read a template', Template, ({ templateName }) =>
      named('template', templates, templateName),
    ),
    readOnly('/locations', 'locations:list', 'List the locations', z.array(Location), () => locations),
    readOnly('/configuration', 'configurations:list', 'Read what can be configured', Configuration, () =>
      configuration(images),
    ),
    readOnly('/integrations', 'integrations:list', 'List the integrations', z.array(Integration), () => integrations),
    readOnly('/integrations/{integrationName}', 'integrations:get', 'Read an integration', Integration, (params) =>
      named('integration', integrations, params.integrationName),
    ),
  ]
}

function readOnly(
  path: string,
  scope: string,
  summary: string,
  answer: z.ZodType,
  read: (params: Record<string, string | string[] | undefined>) => unknown,
): Operation {
  const handleCaller = async ({ req }: CallerRequest) => read(req.params)
  return { method: 'get', path, scope, summary, answers: { 200: answer }, handleCaller }
}

function named<T extends { name: string }>(kind: string, offers: readonly T[], name: unknown): T {
  const found = offers.find((offer) => offer.name === name)
  if (!found) throw new Failure('resource_unknown', `No ${kind} has this name.`)
  return found
}
