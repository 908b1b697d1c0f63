"""What our own parts promise each other: structs and Protocols, none of which goes on the wire."""
