import type { Express, Request } from 'express'

type RoutedRequest = Request & { matchedRoute?: Request['route']; routeTemplate?: string }

/** Records the route with its mount path when Express sets it: in an error handler, Express has already reset `baseUrl`. */
export function rememberRoutes(app: Express): void {
  Object.defineProperty(app.request, 'route', {
    get(this: RoutedRequest) {
      return this.matchedRoute
    },
    set(this: RoutedRequest, route: { path: string }) {
      this.matchedRoute = route
      this.routeTemplate = `${this.baseUrl}${route.path}`
    },
  })
}

/** Used instead of the URL, which may contain tokens and codes. */
export const routeTemplateOf = (req: Request): string => (req as RoutedRequest).routeTemplate ?? 'none'
