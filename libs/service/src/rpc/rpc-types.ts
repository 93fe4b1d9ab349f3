interface UnaryMethod<Request, Response> {
  path: string;
  requestStream: false;
  responseStream: false;
  requestSerialize: (value: Request) => Buffer;
  requestDeserialize: (value: Buffer) => Request;
  responseSerialize: (value: Response) => Buffer;
  responseDeserialize: (value: Buffer) => Response;
}

interface StreamMethod<Request, Response> extends Omit<UnaryMethod<Request, Response>, 'responseStream'> {
  responseStream: true;
}

/** A method without its message types; messages only pass between its own four functions. */
export interface AnyMethod {
  path: string;
  requestStream: false;
  responseStream: boolean;
  requestSerialize(value: unknown): Buffer;
  requestDeserialize(value: Buffer): unknown;
  responseSerialize(value: unknown): Buffer;
  responseDeserialize(value: Buffer): unknown;
}

/** A service definition of ts-proto, such as DatasetServiceService. */
export type RpcDefinition = Readonly<Record<string, AnyMethod>>;

/** The methods of a service with an additional argument: the call context of servers, or the call options of clients. */
export type RpcMethods<Definition, Extra> = {
  [Name in keyof Definition]: Definition[Name] extends UnaryMethod<infer Request, infer Response>
    ? (request: Request, extra: Extra) => Promise<Response>
    : Definition[Name] extends StreamMethod<infer Request, infer Response>
      ? (request: Request, extra: Extra) => AsyncIterable<Response>
      : never;
};
