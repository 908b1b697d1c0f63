def heaviest(weights):
    best = weights[0]
    for weight in weights:
        if weight > best:
            best = weight
    return best
