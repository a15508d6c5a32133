import type { EvidencePlace } from './evidence-places.ts';
import type { RequestView } from './request-view.ts';

/** An identifier that a request's action used and that is no longer in front of it. */
export interface MissingEvidence extends EvidencePlace {
  /** Index of the request whose action used it. */
  readonly request: number;
}

/**
 * All that is missing in front of the actions of these requests: first what cannot be got back, then what is
 * behind a marker, each in the order of the requests.
 */
export function missingEvidence(views: readonly RequestView[]): MissingEvidence[] {
  const missing = views.flatMap(({ index, evidence = [] }) =>
    evidence
      .filter(({ status }) => status !== 'kept')
      .map((place) => ({ ...place, request: index })),
  );
  return [
    ...missing.filter(({ status }) => status !== 'recoverable'),
    ...missing.filter(({ status }) => status === 'recoverable'),
  ];
}
