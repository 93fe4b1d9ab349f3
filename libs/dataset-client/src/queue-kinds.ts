import { QueueKind as WireKind } from '@esd/proto/esd/submission/v1/submission';
import { type QueueKind, queueKinds } from '@esd/record/status/queue-kinds';

const TO_WIRE = {
  all: WireKind.QUEUE_KIND_UNSPECIFIED,
  new: WireKind.QUEUE_KIND_NEW,
  corrections: WireKind.QUEUE_KIND_CORRECTIONS,
  answered: WireKind.QUEUE_KIND_ANSWERED,
  warnings: WireKind.QUEUE_KIND_WARNINGS,
  anonymous: WireKind.QUEUE_KIND_ANONYMOUS,
} as const satisfies Record<QueueKind, WireKind>;

export function kindToWire(kind: QueueKind): WireKind {
  return TO_WIRE[kind];
}

export function kindFromWire(wire: WireKind): QueueKind | undefined {
  return queueKinds.find((kind) => TO_WIRE[kind] === wire);
}
