const LARGEST_MESSAGE = 12 * 1024 * 1024;

/** Options of clients and servers; a page of records must fit the flow-control window. */
export const TRANSPORT_OPTIONS = {
  'grpc.max_receive_message_length': LARGEST_MESSAGE,
  'grpc.max_send_message_length': LARGEST_MESSAGE,
  'grpc.enable_channelz': 0,
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
} as const;
